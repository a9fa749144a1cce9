import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  LogGroupLogDestination,
  type HttpRouteIntegration,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../shared/http/route.ts';
import type { ServiceFunction } from './functions.ts';

/** The API is served below both prefixes; `/api/v1` is the development prefix. */
const PREFIXES = ['/v1', '/api/v1'];

/** Throttling of the whole API, in requests per second. The functions enforce lower limits for each API key. */
const THROTTLE = { rateLimit: 500, burstLimit: 1000 };

/** The HTTP API with its stage, access log and throttling. */
export class Gateway extends Construct {
  readonly api: HttpApi;
  /** `https://…/v1` */
  readonly url: string;

  constructor(scope: Construct, id: string, { allowedOrigins }: { allowedOrigins: readonly string[] }) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      ...(allowedOrigins.length > 0 && { corsPreflight: cors(allowedOrigins) }),
    });
    this.url = `${this.api.apiEndpoint}/v1`;
    const log = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api.addStage('Stage', {
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: { destination: new LogGroupLogDestination(log), format: accessLogFormat() },
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The functions authenticate requests: a gateway authorizer cannot return their 401 and 403 bodies.',
    });
  }

  /** Routes these requests to the function, below every prefix. */
  route(routes: readonly Route[], to: ServiceFunction): void {
    const integration = toFunction(to);
    for (const prefix of PREFIXES) {
      for (const { method, path } of routes) {
        this.api.addRoutes({ path: prefix + path, methods: [HttpMethod[method]], integration });
      }
    }
  }

  /** Routes every request that no other route matches to the function. */
  routeFallback(to: ServiceFunction): void {
    const route = { httpApi: this.api, routeKey: HttpRouteKey.DEFAULT, integration: toFunction(to) };
    new HttpRoute(this, 'Fallback', route);
  }
}

/** Integrates a function with one permission for all its routes: one for each would exceed the resource policy's size. */
function toFunction({ lambda }: ServiceFunction): HttpRouteIntegration {
  return new HttpLambdaIntegration('Integration', lambda, { scopePermissionToRoute: false });
}

function cors(allowedOrigins: readonly string[]) {
  return {
    allowOrigins: [...allowedOrigins],
    allowMethods: [CorsHttpMethod.ANY],
    allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-request-id'],
    exposeHeaders: [
      'location',
      'retry-after',
      'x-ai-provider',
      'x-request-id',
      'idempotent-replayed',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
    ],
  };
}

/** Returns the access log format: one JSON line for each request, without the query string, which may hold OAuth codes. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      at: '$context.requestTime',
      request_id: '$context.requestId',
      ip: '$context.identity.sourceIp',
      method: '$context.httpMethod',
      path: '$context.path',
      route: '$context.routeKey',
      status: '$context.status',
      bytes: '$context.responseLength',
      ms: '$context.responseLatency',
      error: '$context.integrationErrorMessage',
    }),
  );
}
