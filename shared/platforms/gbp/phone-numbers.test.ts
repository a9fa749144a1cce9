import { expect, test } from '@jest/globals';
import { hasPhoneNumber } from './phone-numbers.ts';

test.each([
  '(650) 555-0100',
  'Call 650-555-0100 now',
  '+49 30 901820',
  'Tel.: 0151/23456789.',
  '030 9018-20',
  '+1.650.555.0100',
  '0043 1 58858',
  'Ring 020 7946 0958!',
  '06505550100',
])('finds the number in %j', text => expect(hasPhoneNumber(text)).toBe(true));

test.each([
  'Fresh bread from 7 am.',
  'Open 9.00 - 17.00',
  'On 2026-12-01 and 24.12.2026',
  '24. 12. 2026',
  'Season 2026-2027',
  'https://example.com/650-555-0100',
  'Order 12345678',
  '1,000,000 customers',
  'Only 1.234.567 €',
  '10 20 30',
  '2026-12-01T10:00:00',
  '12345-12345-12345-12345-12345',
])('finds none in %j', text => expect(hasPhoneNumber(text)).toBe(false));
