-- Comments: threads on records. A table of comments is made by `npm run resource`; this domain holds what all of them share.

create table app.commented (
  comments text primary key,
  resource text not null unique,
  settings jsonb not null check (jsonb_typeof(settings) = 'object')
);
comment on table app.commented is
  'The tables of comments, written by app.keep_comments(). settings: {resource, table, record: the column of the record, path: the address '
  'of the list, people: columns of the record that name who takes part, kinds: {name: {object: whose list and create a kind with lines of '
  'its own asks, when: the condition over the record r under which it is written}}}.';
