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

/** The version, and the same API once more where development tools expect it. */
const PREFIXES = ['/v1', '/api/v1'];

/** What the whole API takes. Single keys have their own, lower limits in the functions. */
const THROTTLE = { rateLimit: 500, burstLimit: 1000 };

/** The way in: an HTTP API with its stage, log and limits. */
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
      reason: 'Keys are checked in the functions, whose 401 and 403 bodies a gateway authorizer cannot give.',
    });
  }

  /** Sends these routes to the function, under every prefix. */
  route(routes: readonly Route[], to: ServiceFunction): void {
    const integration = toFunction(to);
    for (const prefix of PREFIXES) {
      for (const { method, path } of routes) {
        this.api.addRoutes({ path: prefix + path, methods: [HttpMethod[method]], integration });
      }
    }
  }

  /** Sends whatever no route takes to the function. */
  routeTheRest(to: ServiceFunction): void {
    const route = { httpApi: this.api, routeKey: HttpRouteKey.DEFAULT, integration: toFunction(to) };
    new HttpRoute(this, 'Fallback', route);
  }
}

/** One permission for all routes of a function: one a route would outgrow the function's resource policy. */
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

/** One JSON line a request. No query string: an OAuth callback carries its code there. */
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
