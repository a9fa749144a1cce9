import * as v from 'valibot';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';

/** An account as the API shows it: never with a secret. */
export const AccountView = v.pipe(
  v.object({
    id: v.string(),
    platform: v.picklist(PLATFORM_IDS),
    profile_id: v.string(),
    profile_name: v.string(),
    platform_user_id: v.string(),
    display_name: v.string(),
    username: v.nullable(v.string()),
    avatar_url: v.nullable(v.string()),
    active: v.boolean(),
    scopes: v.array(v.string()),
    token_expires_at: v.nullable(v.string()),
    connected_at: v.string(),
    needs_reconnect: v.boolean(),
    default_target_id: v.nullable(v.string()),
  }),
  v.title('Account'),
);
