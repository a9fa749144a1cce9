import { ListSchedulesCommand } from '@aws-sdk/client-scheduler';
import { ENV } from '../../../shared/aws/env.ts';
import { counted, ok, todo, type Check } from './finding.ts';

const MOST = 100;

/** Whether the schedules can be listed, and none is turned off. */
export const schedules: Check = {
  name: 'schedules',
  run: async ({ scheduler, settings }) => {
    const GroupName = (await settings())(ENV.scheduleGroup);
    const list = async (State: 'ENABLED' | 'DISABLED') => {
      const { Schedules = [] } = await scheduler.send(
        new ListSchedulesCommand({ GroupName, State, MaxResults: MOST }),
      );
      return Schedules.length;
    };
    const [waiting, off] = await Promise.all([list('ENABLED'), list('DISABLED')]);
    const more = waiting === MOST ? ' or more' : '';
    if (off === 0) return [ok(`${waiting}${more} wait in the group ${GroupName}`)];
    return [
      todo(
        `${counted(off, 'schedule')} of the group ${GroupName} ${off === 1 ? 'is' : 'are'} turned off: the sweeper dispatches ` +
          'their posts up to a minute late. Turn them on in the console of EventBridge Scheduler',
      ),
    ];
  },
};
