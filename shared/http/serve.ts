import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Route } from './route.ts';

export type ApiHandler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;

export function serve(routes: readonly Route[]): ApiHandler {
  return () => Promise.resolve({ statusCode: routes.length === 0 ? 404 : 501 });
}
