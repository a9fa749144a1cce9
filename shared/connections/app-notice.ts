import type { AppCredentials } from '../model/platform-app.ts';
import type { PlatformId } from '../model/platform.ts';
import { connectorOf } from './connector.ts';
import { log } from '../runtime/log.ts';
import { DAY } from '../time/instant.ts';

/** When each container last logged a notice. Epoch milliseconds. */
const logged = new Map<string, number>();

/** Logs what the operator must change about an app before it stops working, once a day. */
export async function logAppNotice(platform: PlatformId, app: AppCredentials, now: number): Promise<void> {
  const notice = (await connectorOf(platform))?.appNotice(app, now) ?? null;
  if (notice === null || now - (logged.get(notice) ?? -DAY) < DAY) return;
  logged.set(notice, now);
  log.warn('An app will stop working unless it is changed', { platform, client_id: app.client_id, notice });
}
