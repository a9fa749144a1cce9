import type { PlatformId } from '../../../shared/model/platform.ts';
import { CONNECTORS } from '../../../shared/platforms/registry/connectors.ts';
import { connectedPlatforms } from '../../../shared/store/connected-platforms.ts';
import { platformApps } from '../platform-list.ts';
import { counted, orOk, todo, type Check } from './finding.ts';

/** Whether the platforms of connected accounts have an app, which renews tokens. */
export const apps: Check = {
  name: 'apps',
  run: async ({ ssm, table, parameterPrefix, arguments: options }) => {
    const [stored, connected] = await Promise.all([
      platformApps(ssm, parameterPrefix),
      connectedPlatforms(table),
    ]);
    const missing = connected.filter(platform => isMissing(platform, app => stored.has(app)));
    return orOk(
      missing.map(platform =>
        todo(
          `Accounts of ${platform} were connected, but no app is stored: unless workspaces have their own, their tokens end. ` +
            `Run npm run admin -- platform set ${platform} --client-id ID${options}`,
        ),
      ),
      `${counted(stored.size, 'app')} stored, and none missing`,
    );
  },
};

/** Whether accounts are connected on consent pages only, and for none of them an app is stored. */
function isMissing(platform: PlatformId, isStored: (app: PlatformId) => boolean): boolean {
  const ways = CONNECTORS[platform]?.ways ?? [];
  return (
    ways.length > 0 && ways.every(way => way.kind === 'oauth' && !isStored(way.app_platform ?? platform))
  );
}
