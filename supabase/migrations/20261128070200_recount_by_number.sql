-- A recount that is under way begins again: it goes by the number of a ticket.
alter table app.sla_recounts drop column after_id;
alter table app.sla_recounts add column after_number integer not null default 0;
