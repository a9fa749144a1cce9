import { FREE_TIER, PRICES } from '../bench/prices.ts';
import { idOf, nameOf, type PropertiesOf, type Stack } from './template.ts';

type Unit = keyof typeof PRICES;

/** A cost that accrues while nobody uses the service. */
export interface IdleCost {
  what: string;
  unit: Unit;
  /** Units in a month of 30 days. */
  quantity: number;
}

const MINUTES = 30 * 24 * 60;

/**
 * Polls of one event source mapping: Lambda keeps five connections, and a poll waits 20 seconds.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const POLLS = 5 * 3 * MINUTES;

/** What a run of a function does while there is nothing to do, by function. Durations are high estimates. */
const RUNS: Readonly<Record<string, { ms: number; queries: number; receives: number }>> = {
  // A query for each shard of the wake index, and the item with the connected platforms.
  sweeper: { ms: 50, queries: 9, receives: 1 },
  insights: { ms: 50, queries: 8, receives: 0 },
};

/** Of the REPORT line that Lambda writes for each run. */
const REPORT_BYTES = 350;

/** Resource types without a cost at rest, or whose cost is computed here. */
const KNOWN = new RegExp(
  `^(${[
    'AWS::ApiGatewayV2::\\w+',
    'AWS::CDK::Metadata',
    'AWS::CloudFront::\\w+',
    'AWS::CloudWatch::(Alarm|Dashboard)',
    'AWS::DynamoDB::GlobalTable',
    'AWS::EC2::(VPC|Subnet|Route|RouteTable|SubnetRouteTableAssociation|InternetGateway|VPCGatewayAttachment|SecurityGroup|VPCEndpoint|SecurityGroupIngress|SecurityGroupEgress)',
    'AWS::ECS::(Cluster|TaskDefinition|ClusterCapacityProviderAssociations)',
    'AWS::Events::Rule',
    'AWS::IAM::(Role|Policy)',
    'AWS::Lambda::(Function|Permission|LayerVersion|EventSourceMapping|EventInvokeConfig)',
    'AWS::Logs::(LogGroup|QueryDefinition)',
    'AWS::S3::(Bucket|BucketPolicy)',
    'AWS::SNS::(Topic|TopicPolicy|Subscription)',
    'AWS::SQS::(Queue|QueuePolicy)',
    'AWS::Scheduler::ScheduleGroup',
    'Custom::\\w+',
  ].join('|')})$`,
);

/** Returns what the stack costs at rest. Throws for a resource type whose cost at rest is not known here. */
export function idleCosts(stack: Stack): IdleCost[] {
  const unknown = Object.values(stack.resources).filter(({ Type }) => !KNOWN.test(Type));
  if (unknown.length > 0) {
    throw new Error(`What does ${unknown[0]!.Type} cost at rest? Add it to test/support/idle-cost.ts`);
  }
  return [
    ...polling(stack),
    ...alarms(stack),
    ...stack
      .all('AWS::Events::Rule')
      .filter(([, { ScheduleExpression }]) => ScheduleExpression !== undefined)
      .flatMap(rule => runs(stack, rule[1])),
  ];
}

const polling = (stack: Stack): IdleCost[] =>
  stack
    .all('AWS::Lambda::EventSourceMapping')
    .filter(([, { Enabled }]) => Enabled !== false)
    .map(([, { EventSourceArn }]) => ({
      what: `Polls of the queue ${nameOf(stack.at('AWS::SQS::Queue', EventSourceArn))}`,
      unit: 'sqs_request',
      quantity: POLLS,
    }));

const alarms = (stack: Stack): IdleCost[] => [
  { what: 'Alarms', unit: 'alarm', quantity: stack.all('AWS::CloudWatch::Alarm').length },
];

function runs(stack: Stack, { ScheduleExpression, Targets }: PropertiesOf['AWS::Events::Rule']): IdleCost[] {
  const every = Number(/^rate\((\d+) minutes?\)$/.exec(ScheduleExpression ?? '')?.[1]);
  return Targets.flatMap(({ Arn }) => {
    const fn = stack.at('AWS::Lambda::Function', Arn);
    const name = nameOf(fn);
    const run = RUNS[name];
    if (!run)
      throw new Error(`What does an idle run of ${idOf(Arn)} do? Add it to test/support/idle-cost.ts`);
    const count = MINUTES / every;
    const traces = fn.TracingConfig?.Mode === 'Active' ? count : 0;
    return [
      { what: `Runs of ${name}`, unit: 'lambda_request' as const, quantity: count },
      {
        what: `Duration of ${name}`,
        unit: 'lambda_gb_second' as const,
        quantity: (count * run.ms * fn.MemorySize) / 1024 / 1000,
      },
      { what: `Reads of ${name}`, unit: 'read_unit' as const, quantity: count * run.queries * 0.5 },
      { what: `Receives of ${name}`, unit: 'sqs_request' as const, quantity: count * run.receives },
      { what: `Traces of ${name}`, unit: 'xray_trace' as const, quantity: traces },
      { what: `Logs of ${name}`, unit: 'log_gb' as const, quantity: (count * REPORT_BYTES) / 1e9 },
    ];
  }).filter(({ quantity }) => quantity > 0);
}

export const dollars = ({ unit, quantity }: Pick<IdleCost, 'unit' | 'quantity'>) => PRICES[unit] * quantity;

/** Returns the list price of these costs. */
export const gross = (costs: readonly IdleCost[]) => costs.reduce((sum, cost) => sum + dollars(cost), 0);

/** Returns what is left of these costs after the free tier. */
export function net(costs: readonly IdleCost[]): number {
  const byUnit = Map.groupBy(costs, ({ unit }) => unit);
  return [...byUnit].reduce((sum, [unit, ofUnit]) => {
    const free = unit in FREE_TIER ? FREE_TIER[unit as keyof typeof FREE_TIER] : 0;
    const quantity = ofUnit.reduce((total, each) => total + each.quantity, 0);
    return sum + dollars({ unit, quantity: Math.max(0, quantity - free) });
  }, 0);
}
