-- The step of the tick that empties the trash after 30 days; its function comes with the next migration.
insert into app.tick_step (position, name, function) values (109, 'trash', 'empty_trash');
