insert into app.software_change_count (only_row) values (true);
