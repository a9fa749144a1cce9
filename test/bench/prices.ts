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
} as const;
