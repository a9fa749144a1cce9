import { CfnOutput, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  ApiMapping,
  CfnStage,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  LogGroupLogDestination,
  type HttpRouteIntegration,
  type IHttpStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../shared/http/route.ts';
import type { ServiceFunction } from './functions.ts';
import type { ServiceDomain } from './social-publishing-props.ts';

/** The API is served below both prefixes; `/api/v1` is the development prefix. */
const PREFIXES = ['/v1', '/api/v1'];

/** Throttling of the whole API, in requests per second. The functions enforce lower limits for each API key. */
const THROTTLE = { rateLimit: 500, burstLimit: 1000 };

/** Throttling of each route that needs no key, in requests per second: nothing else limits who calls it. */
const OPEN_THROTTLE = { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 };

export interface GatewayProps {
  allowedOrigins: readonly string[];
  domain: ServiceDomain | undefined;
}

/** The HTTP API with its stage, access log and throttling. */
export class Gateway extends Construct {
  readonly api: HttpApi;
  /** `https://…/v1` */
  readonly url: string;

  private readonly stage: CfnStage;

  constructor(scope: Construct, id: string, { allowedOrigins, domain }: GatewayProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      ...(allowedOrigins.length > 0 && { corsPreflight: cors(allowedOrigins) }),
    });
    this.url = `${domain ? `https://${domain.name}` : this.api.apiEndpoint}/v1`;
    const log = new LogGroup(this, 'AccessLog', {
      // Only below this prefix does each delivery of logs not lengthen a resource policy, whose size is limited.
      logGroupName: `/aws/vendedlogs/apis/${Stack.of(this).stackName}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = this.api.addStage('Stage', {
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: { destination: new LogGroupLogDestination(log), format: accessLogFormat() },
    });
    this.stage = cfnStageOf(stage);
    if (domain) this.addDomain(domain, stage);
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
      for (const { method, path, auth } of routes) {
        const added = this.api.addRoutes({ path: prefix + path, methods: [HttpMethod[method]], integration });
        if (auth === 'none') this.throttleOpen(`${method} ${prefix}${path}`, added);
      }
    }
  }

  /** The stage can name a route only once it exists. */
  private throttleOpen(key: string, routes: readonly HttpRoute[]): void {
    this.stage.addPropertyOverride(`RouteSettings.${key.replaceAll('.', '\\.')}`, OPEN_THROTTLE);
    for (const route of routes) this.stage.node.addDependency(route);
  }

  private addDomain({ name, certificate }: ServiceDomain, stage: IHttpStage): void {
    const domain = new DomainName(this, 'Domain', { domainName: name, certificate });
    new ApiMapping(this, 'Mapping', { api: this.api, domainName: domain, stage });
    new CfnOutput(this, 'DomainTarget', {
      description: `Create a CNAME record of ${name} with this value`,
      value: domain.regionalDomainName,
    }).overrideLogicalId('DomainTarget');
  }

  /** Routes every request that no other route matches to the function. */
  routeFallback(to: ServiceFunction): void {
    const fallback = new HttpRoute(this, 'Fallback', {
      httpApi: this.api,
      routeKey: HttpRouteKey.DEFAULT,
      // A permission for all routes, `*/*/*`, does not cover the source of this one, which has two segments only.
      integration: new HttpLambdaIntegration('Integration', to.lambda),
    });
    this.throttleOpen('$default', [fallback]);
  }
}

function cfnStageOf(stage: IHttpStage): CfnStage {
  const resource = stage.node.defaultChild;
  if (resource instanceof CfnStage) return resource;
  throw new Error('The stage has no CfnStage');
}

/** Integrates a function with one permission for all its routes: one for each would exceed the resource policy's size. */
function toFunction({ lambda }: ServiceFunction): HttpRouteIntegration {
  return new HttpLambdaIntegration('Integration', lambda, { scopePermissionToRoute: false });
}

function cors(allowedOrigins: readonly string[]) {
  return {
    allowOrigins: [...allowedOrigins],
    allowMethods: [CorsHttpMethod.ANY],
    allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'prefer', 'x-request-id'],
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
