-- Companies as their definition has them: the form takes a million seats at most, and so does the table.

alter table public.companies drop constraint companies_seats_check;
alter table public.companies add constraint companies_seats_check check (seats between 1 and 1000000);
