import { HTTPException } from 'hono/http-exception';

/** For `onError` of a fake server: returns the response that was thrown. Anything else is a bug and thrown on. */
export function thrownResponse(error: Error): Response {
  if (error instanceof HTTPException) return error.getResponse();
  throw error;
}
