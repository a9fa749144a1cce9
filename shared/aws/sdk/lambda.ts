/** What the service uses of the SDK: see `sqs.ts`. */
export {
  GetEventSourceMappingCommand,
  InvokeCommand,
  LambdaClient,
  ResourceInUseException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
