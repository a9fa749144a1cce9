/** List prices in dollars, us-east-1, on-demand (2026). */
export const PRICES = {
  write_unit: 0.625 / 1e6,
  read_unit: 0.125 / 1e6,
  sqs_request: 0.4 / 1e6,
  http_api_request: 1.0 / 1e6,
  lambda_request: 0.2 / 1e6,
  /** For arm64. */
  lambda_gb_second: 0.0000133334,
  /** The first 14 million a month are free. */
  schedule: 1.0 / 1e6,
  /** For each metric that an alarm watches, a month. */
  alarm: 0.1,
  xray_trace: 5.0 / 1e6,
  log_gb: 0.5,
} as const;

/** What the free tier covers in a month, for accounts of any age. It does not cover on-demand reads of DynamoDB. */
export const FREE_TIER = {
  sqs_request: 1e6,
  lambda_request: 1e6,
  lambda_gb_second: 400_000,
  alarm: 10,
  xray_trace: 100_000,
  log_gb: 5,
} as const;
