/** List prices, us-east-1, on demand, in dollars (2026). What a run costs follows from these and its call counts. */
export const PRICES = {
  write_unit: 0.625 / 1e6,
  read_unit: 0.125 / 1e6,
  sqs_request: 0.4 / 1e6,
  http_api_request: 1.0 / 1e6,
  lambda_request: 0.2 / 1e6,
  /** arm64, a GB-second. */
  lambda_gb_second: 0.0000133334,
  /** Beyond the 14 million a month that are free. */
  schedule: 1.0 / 1e6,
} as const;
