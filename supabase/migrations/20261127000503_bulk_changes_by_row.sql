-- Without statistics, PostgreSQL takes a job for one row and reads all that it has kept so far for each batch: a job of 50,000 rows
-- fell from 370 rows a second to 80. Every query names its rows, so the key begins with the row.

alter table app.bulk_change drop constraint bulk_change_pkey;
alter table app.bulk_change add primary key (row_id, job_id, actor_id, resource);
