import {
  GatewayVpcEndpointAwsService,
  IpAddresses,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
  type IVpc,
} from 'aws-cdk-lib/aws-ec2';
import { Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/** Files and platforms by HTTP and HTTPS, and the ingest by RTMP. RTMPS uses the port of HTTPS. */
const PORTS_OUT = [443, 80, 1935];

/**
 * The network of the stream workers: public subnets, as a NAT gateway would cost more than the tasks, and no way in. S3 and
 * DynamoDB are reached without the Internet. Costs nothing while no task runs.
 */
export class LiveNetwork extends Construct {
  readonly vpc: IVpc;
  readonly securityGroup: SecurityGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.83.0.0/24'),
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 26, mapPublicIpOnLaunch: false },
      ],
      gatewayEndpoints: {
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason: 'Nothing listens in this network; flow logs of hours of video would cost more than they tell.',
    });
    this.vpc = asInterface(vpc);
    this.securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc: this.vpc,
      description: 'Stream workers: no way in',
      allowAllOutbound: false,
    });
    for (const port of PORTS_OUT) this.securityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(port));
  }
}

/** Narrows a `Vpc` to `IVpc`, which it does not satisfy under `exactOptionalPropertyTypes`. */
function asInterface(vpc: object): IVpc {
  if (isVpc(vpc)) return vpc;
  throw new Error('Expected a VPC');
}

function isVpc(vpc: object): vpc is IVpc {
  return vpc instanceof Vpc;
}
