/** What the service uses of the SDK: see `sqs.ts`. */
export { GetParameterCommand, GetParametersCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
