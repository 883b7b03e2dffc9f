create trigger saved_views_touch before update on public.saved_views for each row execute function app.touch();
select app.keep_short_texts('public.saved_views', array['name']);
create trigger saved_views_share before insert or update on public.saved_views for each row
  when (new.scope <> 'mine') execute function app.require_share();
create trigger saved_views_z_default before insert or update on public.saved_views for each row
  when (new.is_default) execute function app.replace_default_view();
create trigger saved_views_a_bound before insert or update on public.saved_views
  for each row execute function app.bound_own_rows('owner', 'state', 'views_too_many');

create trigger list_preferences_touch before update on public.list_preferences for each row execute function app.touch_time();
create trigger list_preferences_a_bound before insert or update on public.list_preferences
  for each row execute function app.bound_own_rows('user_id', 'columns', 'settings_too_many');
