/** A business account of a user. */
export interface BusinessAccount {
  id: string;
  name: string;
  type: 'PERSONAL' | 'LOCATION_GROUP' | 'ORGANIZATION';
  role: 'PRIMARY_OWNER' | 'OWNER' | 'MANAGER' | 'SITE_MANAGER';
}

export interface BusinessLocation {
  id: string;
  title: string;
  address: string;
  language: string;
  /** Ids of the accounts that list it. */
  accounts: readonly string[];
  /** Why posts do not become visible; null where they do. */
  problem: 'unverified' | 'pending' | 'suspended' | 'conflict' | null;
}

/** A Google user with accounts and locations. */
export interface User {
  /** Id of the personal account. */
  id: string;
  name: string;
  display_name: string;
  accounts: readonly BusinessAccount[];
  locations: readonly BusinessLocation[];
}

const personal = (id: string, name: string): BusinessAccount => ({
  id,
  name,
  type: 'PERSONAL',
  role: 'PRIMARY_OWNER',
});

const group = (id: string, name: string, more: Partial<BusinessAccount> = {}): BusinessAccount => ({
  id,
  name,
  type: 'LOCATION_GROUP',
  role: 'MANAGER',
  ...more,
});

const location = (
  id: string,
  title: string,
  accounts: readonly string[],
  more: Partial<BusinessLocation> = {},
): BusinessLocation => ({
  id,
  title,
  address: '1 Main St',
  language: 'en',
  accounts,
  problem: null,
  ...more,
});

const user = (
  id: string,
  name: string,
  accounts: readonly BusinessAccount[],
  locations: readonly BusinessLocation[],
): User => ({ id, name, display_name: 'Jane Doe', accounts, locations });

/** An account that a location can move to (`moved`). */
export const NEW_OWNER = '110000000000000000777';

/** One location, which both the user and a group list. */
const DEMO = user(
  '105941832217235206541',
  'demo',
  [personal('105941832217235206541', 'Jane Doe'), group('110000000000000000001', 'Shop group')],
  [location('12341542785316514841', 'Corner Bakery', ['105941832217235206541', '110000000000000000001'])],
);

/** More accounts and locations than one page has, and a chain. `as=demo_many` on the consent page selects it. */
const MANY = user(
  '105941832217235206542',
  'demo_many',
  [
    personal('105941832217235206542', 'Jane Doe'),
    ...Array.from({ length: 21 }, (_, index) =>
      group(`1100000000000000010${String(index).padStart(2, '0')}`, `Group ${index}`),
    ),
    group('110000000000000002000', 'Holding', { type: 'ORGANIZATION', role: 'OWNER' }),
  ],
  Array.from({ length: 120 }, (_, index) =>
    location(
      `20000000000000${String(index).padStart(3, '0')}`,
      index < 2 ? 'Chain' : `Shop ${index}`,
      ['110000000000000002000'],
      {
        address: `${index + 1} Main St`,
        language: index === 0 ? 'de' : 'en',
      },
    ),
  ),
);

/** No account at all. */
const NONE = user('105941832217235206543', 'demo_none', [], []);

/** Locations whose posts do not become visible. */
const UNVERIFIED = user(
  '105941832217235206544',
  'demo_unverified',
  [personal('105941832217235206544', 'Jane Doe')],
  [
    location('30000000000000001', 'New Shop', ['105941832217235206544'], { problem: 'unverified' }),
    location('30000000000000002', 'Waiting Shop', ['105941832217235206544'], { problem: 'pending' }),
    location('30000000000000003', 'Bad Shop', ['105941832217235206544'], { problem: 'suspended' }),
    location('30000000000000004', 'Taken Shop', ['105941832217235206544'], { problem: 'conflict' }),
  ],
);

/** One location in good standing, one that is suspended. */
const MIXED = user(
  '105941832217235206545',
  'demo_mixed',
  [personal('105941832217235206545', 'Jane Doe')],
  [
    location('40000000000000001', 'Good Shop', ['105941832217235206545']),
    location('40000000000000002', 'Bad Shop', ['105941832217235206545'], { problem: 'suspended' }),
  ],
);

export const USERS = [DEMO, MANY, NONE, UNVERIFIED, MIXED] as const;
