select app.keep_announced('public.notifications', 'user', 'user_id');
