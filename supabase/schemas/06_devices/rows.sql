insert into app.fleet (devices, counted_at) values (0, '-infinity');
