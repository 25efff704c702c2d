/** The first tables. Never edit them here: later changes are migrations of their own. */
export const first: readonly string[] = [
  `create table people (
    id text primary key,
    name text not null,
    role text not null check (role in ('viewer', 'approver', 'admin')),
    passphrase text,
    created_at timestamptz not null,
    removed_at timestamptz
  )`,
  'create unique index people_name on people (lower(name))',
  `create table passkeys (
    id text primary key,
    person_id text not null,
    public_key bytea not null,
    counter int8 not null,
    transports text[] not null default '{}',
    created_at timestamptz not null
  )`,
  'create index passkeys_person on passkeys (person_id)',
  `create table sign_ins (
    token_hash text primary key,
    person_id text not null references people (id),
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  'create index sign_ins_person on sign_ins (person_id)',
  'create index sign_ins_end on sign_ins (expires_at)',
  'create table attempts (name text not null, address text not null, at timestamptz not null)',
  'create index attempts_who on attempts (name, address, at)',
  'create index attempts_at on attempts (at)',
  `create table challenges (
    id text primary key,
    person_id text,
    challenge text not null,
    purpose text not null,
    expires_at timestamptz not null
  )`,
  `create table invites (
    code_hash text primary key,
    purpose text not null check (purpose in ('machine', 'person')),
    name text,
    role text check (role in ('viewer', 'approver', 'admin')),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
  )`,
  `create table machines (
    id text primary key,
    name text not null unique,
    token_hash text not null unique,
    created_at timestamptz not null,
    last_seen timestamptz,
    revoked_at timestamptz
  )`,
  'create table projects (id text primary key, name text not null)',
  `create table decisions (
    machine_id text not null,
    id text not null,
    at timestamptz not null,
    received_at timestamptz not null default now(),
    seq bigserial not null,
    project_id text not null,
    branch text not null default '',
    session text not null default '',
    host text not null default '',
    event text not null default '',
    tool text not null default '',
    kind text not null,
    held boolean not null,
    rules text[] not null default '{}',
    actor text not null default '',
    channel text not null default '',
    body jsonb not null,
    primary key (machine_id, id)
  )`,
  'create index decisions_at on decisions (at desc, seq desc)',
  'create index decisions_held on decisions (at desc, seq desc) where held',
  'create index decisions_session on decisions (session, at desc, seq desc)',
  'create index decisions_project on decisions (project_id, at desc, seq desc)',
  'create index decisions_machine on decisions (machine_id, at desc, seq desc)',
  'create index decisions_rules on decisions using gin (rules)',
  `create table sessions (
    machine_id text not null,
    id text not null,
    project_id text not null,
    branch text not null default '',
    host text not null default '',
    model text,
    doing text,
    held_by text[] not null default '{}',
    held_since timestamptz,
    loop jsonb,
    phase text,
    gates jsonb,
    last_at timestamptz not null,
    ended_at timestamptz,
    primary key (machine_id, id)
  )`,
  'create index sessions_last on sessions (last_at desc, id desc)',
  'create index sessions_live on sessions (last_at desc, id desc) where ended_at is null',
  `create table requests (
    id text primary key,
    machine_id text not null,
    decision_id text not null,
    project_id text not null,
    rule text not null,
    description text not null default '',
    scope text not null default '',
    session text not null default '',
    branch text not null default '',
    digest text,
    ttl_seconds int,
    plan text,
    changes jsonb,
    since timestamptz not null,
    closed_at timestamptz,
    answer text check (answer in ('approve', 'reject')),
    note text,
    answered_by text,
    answered_at timestamptz,
    statement text,
    signature text,
    unique (machine_id, project_id, rule, session, decision_id)
  )`,
  `create unique index requests_open on requests (machine_id, project_id, rule, session)
   where answer is null and closed_at is null`,
  'create index requests_waiting on requests (since, id) where answer is null and closed_at is null',
  `create index requests_unconfirmed on requests (machine_id, answered_at, id)
   where answer is not null and closed_at is null`,
  'create index requests_since on requests (since)',
  `create table marks (
    machine_id text not null,
    decision_id text not null,
    mark text not null check (mark in ('false-alarm', 'right')),
    person_id text not null,
    at timestamptz not null,
    primary key (machine_id, decision_id)
  )`,
  `create table runs (
    machine_id text not null,
    id text not null,
    at timestamptz not null,
    project_id text not null,
    branch text not null default '',
    session text not null default '',
    status text not null,
    ms int8 not null default 0,
    checks jsonb not null default '[]',
    lines text[] not null default '{}',
    primary key (machine_id, id)
  )`,
  'create index runs_at on runs (at desc, id desc)',
  'create index runs_session on runs (session, at desc)',
  `create table audit (
    seq bigserial primary key,
    at timestamptz not null default now(),
    actor text not null,
    action text not null,
    subject text not null,
    detail jsonb not null default '{}'
  )`,
  `create function refuse_audit_change() returns trigger language plpgsql as $$
   begin
     raise exception 'The audit is only ever appended to.' using errcode = 'insufficient_privilege';
   end $$`,
  `create trigger audit_is_appended before update or delete or truncate on audit
   for each statement execute function refuse_audit_change()`,
  'create table settings (key text primary key, value jsonb not null)',
  `create table keys (
    id text primary key,
    public_key text not null,
    created_at timestamptz not null,
    retired_at timestamptz,
    signed_by text,
    signature text
  )`,
];
