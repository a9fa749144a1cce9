import { CONNECTORS } from '../../../shared/platforms/registry/connectors.ts';
import { platformApps } from '../platform-list.ts';
import { orOk, todo, type Check } from './finding.ts';

/** What must be changed about an app before it stops working, such as the version of LinkedIn's API. */
export const appNotices: Check = {
  name: 'API versions',
  run: async ({ ssm, parameterPrefix, arguments: options }, now) => {
    const stored = await platformApps(ssm, parameterPrefix);
    const notices = [...stored].flatMap(([platform, { app }]) => {
      const notice = CONNECTORS[platform]?.appNotice(app, now) ?? null;
      return notice === null ? [] : [{ platform, notice }];
    });
    return orOk(
      notices.map(({ platform, notice }) =>
        todo(`${notice}, with npm run admin -- platform set ${platform} --client-id ID --field …${options}`),
      ),
      'No version of an API ends within a month',
    );
  },
};
