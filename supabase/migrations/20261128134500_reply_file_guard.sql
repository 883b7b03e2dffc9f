-- Files of replies are guarded; the guard follows in the next migration.

select app.keep_files('public.ticket_comments', object => 'tickets', verbs => array['comment'], guard => 'guard_comment_files');
