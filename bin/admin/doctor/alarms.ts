import { ListSubscriptionsByTopicCommand } from '@aws-sdk/client-sns';
import { ok, orOk, todo, type Check } from './finding.ts';

/** Whether somebody is notified of alarms. SNS sends nothing to an address that has not confirmed. */
export const alarms: Check = {
  name: 'alarms',
  run: async ({ sns, alarmTopic }) => {
    const TopicArn = await alarmTopic();
    if (TopicArn === null) return [ok('Nobody is notified, because the setting alarmEmail is not set')];
    const { Subscriptions = [] } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    if (Subscriptions.length === 0) return [todo('Nobody is subscribed any more. Run npm run deploy')];
    const pending = Subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn === 'PendingConfirmation');
    return orOk(
      pending.map(({ Endpoint = '' }) =>
        todo(
          `${Endpoint} has not confirmed the subscription: open the link in the e-mail from AWS Notifications. For another ` +
            `e-mail, run aws sns subscribe --topic-arn ${TopicArn} --protocol email --notification-endpoint ${Endpoint}`,
        ),
      ),
      `Alarms notify ${Subscriptions.map(({ Endpoint = '' }) => Endpoint).join(', ')}`,
    );
  },
};
