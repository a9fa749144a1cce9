import type { SandboxCollection, SandboxPlatform } from '../../contract/sandbox.ts';

interface AccountTokens<T extends { account_id: string }> {
  access: SandboxCollection<T>;
  refresh: SandboxCollection<T>;
}

/** Deletes tokens of one account, of all accounts if it is null, or none if it is undefined. */
export function endTokens<T extends { account_id: string }>(
  { access, refresh }: AccountTokens<T>,
  action: Parameters<SandboxPlatform['tokens']>[0],
  accountId: string | null | undefined,
): void {
  if (action !== 'revoke_refresh') deleteTokens(access, accountId);
  if (action !== 'expire') deleteTokens(refresh, accountId);
}

function deleteTokens<T extends { account_id: string }>(
  tokens: SandboxCollection<T>,
  accountId: string | null | undefined,
): void {
  for (const [token, { account_id }] of tokens.entries()) {
    if (accountId === null || account_id === accountId) tokens.delete(token);
  }
}
