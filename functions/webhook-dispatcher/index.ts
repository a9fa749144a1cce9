import { Logger } from '@aws-lambda-powertools/logger';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createHttpClient } from '../../shared/net/http.ts';
import { services } from '../../shared/runtime/services.ts';
import { dispatch } from './dispatch.ts';

const logger = new Logger({ serviceName: 'webhook-dispatcher' });

/** Events of posts on their way to the receivers: fans an event out, attempts one delivery a note. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  // One client a batch: connections do not survive the freeze between two invocations.
  const http = createHttpClient();
  try {
    return await dispatch(event, { services: services(), http, random: Math.random }, (messageId, error) =>
      logger.error('A note failed and comes again', {
        message_id: messageId,
        error: error instanceof Error ? error : String(error),
      }),
    );
  } finally {
    http.close();
  }
}
