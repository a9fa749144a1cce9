/** What the service uses of the SDK: bundles contain only what is named here, and evaluate it at the first call. */
export {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
