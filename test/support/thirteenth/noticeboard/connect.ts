import * as v from 'valibot';
import { defineConnector, directWay } from '../contract/connector.ts';
import { CredentialsSchema, noticeboardClient, type Credentials } from './client.ts';

const field = v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty'));

const passwordWay = directWay({
  id: 'password',
  input: v.object({ board: field, password: field }),
  connect: async ({ board, password }, { http }) => {
    const login = await noticeboardClient(http, null).login(board, password);
    return {
      account: {
        platform_user_id: login.board.id,
        display_name: login.board.name,
        username: login.board.id,
        avatar_url: null,
      },
      credentials: { token: login.token },
      scopes: [],
      attributes: {},
      renew_at: null,
      expires_at: null,
    };
  },
});

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [passwordWay],
  targets: 'none',
});
