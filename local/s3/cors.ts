import type { IncomingMessage } from 'node:http';

export interface CorsRule {
  AllowedMethods: string[];
  AllowedOrigins: string[];
  AllowedHeaders: string[];
  ExposedHeaders: string[];
}

/** CORS response headers for a cross-origin request; null if no rule allows it. */
export function corsHeaders(
  rules: readonly CorsRule[],
  request: IncomingMessage,
): Record<string, string> | null {
  const { origin } = request.headers;
  if (origin === undefined) return null;
  const method = request.headers['access-control-request-method'] ?? request.method ?? '';
  const requestedHeaders = (request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '');
  const rule = rules.find(
    ({ AllowedMethods, AllowedOrigins, AllowedHeaders }) =>
      AllowedMethods.includes(method) &&
      (AllowedOrigins.includes('*') || AllowedOrigins.includes(origin)) &&
      requestedHeaders.every(name =>
        AllowedHeaders.some(each => each === '*' || each.toLowerCase() === name),
      ),
  );
  if (!rule) return null;
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': rule.AllowedMethods.join(', '),
    ...(requestedHeaders.length > 0 && { 'access-control-allow-headers': requestedHeaders.join(', ') }),
    ...(rule.ExposedHeaders.length > 0 && {
      'access-control-expose-headers': rule.ExposedHeaders.join(', '),
    }),
  };
}
