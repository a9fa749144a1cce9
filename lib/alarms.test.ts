import { describe, expect, test } from '@jest/globals';
import { idOf, synthesize, targetsOf, type Stack, type Statement } from '../test/support/template.ts';

const stack = synthesize({ alarmEmail: 'ops@example.com' });

interface TopicStatement extends Statement {
  Effect: string;
  Principal: unknown;
}

/** Statements of the policy of a topic. */
const statementsOf = (topicId: string) =>
  stack
    .all('AWS::SNS::TopicPolicy')
    .filter(([, { Topics }]) => Topics.some(topic => idOf(topic) === topicId))
    .flatMap(([, { PolicyDocument }]) => PolicyDocument.Statement as TopicStatement[]);

describe('alarms', () => {
  test.each(stack.all('AWS::CloudWatch::Alarm'))('%s notifies a topic with a subscriber', (_, alarm) => {
    expect(alarm.AlarmActions).toHaveLength(1);
    const topic = idOf(alarm.AlarmActions![0]!);
    const subscribed = stack.all('AWS::SNS::Subscription').map(([, { TopicArn }]) => idOf(TopicArn));
    expect(subscribed).toContain(topic);
  });

  test.each(stack.all('AWS::SNS::Topic'))(
    '%s lets the alarms of this account publish, over TLS only',
    topic => {
      const statements = statementsOf(topic);
      expect(statements.filter(({ Effect }) => Effect === 'Allow')).toMatchObject([
        {
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Resource: { Ref: topic },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ]);
      for (const statement of statements) expect(targetsOf(statement)).toEqual([{ Ref: topic }]);
      expect(statements.filter(({ Effect }) => Effect === 'Deny')).toMatchObject([
        { Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
    },
  );

  test('say at synthesis that nobody is notified without alarmEmail', () => {
    const mentions = (made: Stack) => made.messages.filter(message => message.includes('alarmEmail'));
    expect(mentions(synthesize())).toHaveLength(1);
    expect(mentions(stack)).toHaveLength(0);
  });
});
