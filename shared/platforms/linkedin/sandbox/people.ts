import type { Context, Hono } from 'hono';
import { guarded, requireScope, versioned } from './access.ts';
import { badRequest, denied, notFound } from './responses.ts';
import { findOrganization, type Grant, type LinkedInState, type Organization } from './state.ts';

/** The member, the organizations that the member has a role in, and their names. */
export function addPeople(app: Hono, state: LinkedInState): void {
  const root = '/api.linkedin.com';
  app.get(`${root}/v2/userinfo`, guarded(state, userInfo));
  app.get(`${root}/v2/me`, guarded(state, me));
  app.get(`${root}/rest/organizationAcls`, versioned(state, organizationAcls));
  app.get(`${root}/rest/organizations`, versioned(state, organizations));
  app.get(`${root}/rest/organizations/:id`, versioned(state, organization));
}

function userInfo(c: Context, grant: Grant): Response {
  requireScope(c, grant, 'userinfo.GET', 'openid');
  const { id, first, last } = grant.member;
  return c.json({
    sub: id,
    name: `${first} ${last}`,
    given_name: first,
    family_name: last,
    picture: `https://media.licdn.com/dms/image/${id}/picture.jpg`,
    locale: { country: 'US', language: 'en' },
    email: `${grant.member.vanity}@example.com`,
    email_verified: true,
  });
}

function me(c: Context, grant: Grant): Response {
  requireScope(c, grant, 'me.GET', 'r_basicprofile');
  const { id, first, last, vanity } = grant.member;
  return c.json({
    id,
    localizedFirstName: first,
    localizedLastName: last,
    localizedHeadline: 'Member of the sandbox',
    vanityName: vanity,
    profilePicture: { displayImage: 'urn:li:digitalmediaAsset:C4sandbox' },
  });
}

function organizationAcls(c: Context, grant: Grant): Response {
  requireScope(
    c,
    grant,
    'organizationAcls.FINDER-roleAssignee',
    'rw_organization_admin',
    'r_organization_admin',
  );
  const { q, state, role, count = '10', start = '0' } = c.req.query();
  if (q !== 'roleAssignee') return badRequest('PARAM_INVALID', 'q must be roleAssignee');
  if (Number(count) > 100) return badRequest('PARAM_INVALID', 'count must be at most 100');
  const elements = Object.entries(grant.member.roles)
    .map(([id, held]) => ({
      roleAssignee: `urn:li:person:${grant.member.id}`,
      state: 'APPROVED',
      role: held,
      organization: `urn:li:organization:${id}`,
    }))
    .filter(
      each => (state === undefined || state === each.state) && (role === undefined || role === each.role),
    )
    .slice(Number(start), Number(start) + Number(count));
  return c.json({ paging: { start: Number(start), count: Number(count), links: [] }, elements });
}

function organizations(c: Context, grant: Grant): Response {
  requireScope(c, grant, 'organizations.BATCH_GET', 'rw_organization_admin', 'r_organization_admin');
  const list = /[?&]ids=List\(([^)]*)\)/.exec(c.req.url)?.[1];
  if (list === undefined)
    return badRequest('PARAM_INVALID', 'Invalid query parameters passed to request: ids');
  const ids = list.split(',').map(decodeURIComponent);
  if (ids.some(id => !/^\d+$/.test(id))) return denied('organizations.BATCH_GET');
  const found = ids.flatMap(id => findOrganization(id) ?? []).filter(({ hidden }) => !hidden);
  const results = Object.fromEntries(found.map(each => [each.id, detailsOf(each)]));
  return c.json({ results, statuses: {}, errors: {} });
}

function organization(c: Context, grant: Grant): Response {
  requireScope(c, grant, 'organizations.GET', 'rw_organization_admin', 'r_organization_admin');
  const id = c.req.param('id') ?? '';
  if (!/^\d+$/.test(id)) return badRequest('PARAM_INVALID', 'The id of an organization is a number');
  const found = findOrganization(id) ?? notFound(`Organization ${id} does not exist`);
  return found.hidden ? denied('organizations.GET') : c.json(detailsOf(found));
}

const detailsOf = ({ id, name, vanity }: Organization) => ({
  id: Number(id),
  localizedName: name,
  vanityName: vanity,
});
