import { expect, test } from '@jest/globals';
import { defaultModelIn } from './default-model.ts';

test.each([
  ['us-east-1', 'us.amazon.nova-lite-v1:0'],
  ['us-west-2', 'us.amazon.nova-lite-v1:0'],
  ['eu-central-1', 'eu.amazon.nova-lite-v1:0'],
  ['ap-southeast-2', 'apac.amazon.nova-lite-v1:0'],
  ['us-gov-west-1', 'amazon.nova-lite-v1:0'],
  ['sa-east-1', 'amazon.nova-lite-v1:0'],
])('is offered in %s as %s', (region, id) => {
  expect(defaultModelIn(region)).toBe(id);
});
