import { expect, it } from 'vitest';
import { childEnvironment } from '../../src/exec/run';

const [NAME, KEPT] = ['NODE_EXTRA_CA_CERTS', 'HOLDPOINT_NODE_EXTRA_CA_CERTS'];

it.each([
  ['was emptied for us', { [NAME]: '', [KEPT]: '/a.pem' }, '/a.pem'],
  ['was taken from us', { [KEPT]: '/a.pem' }, '/a.pem'],
  ['is still there', { [NAME]: '/b.pem', [KEPT]: '/a.pem' }, '/b.pem'],
  ['was never there', { [NAME]: '', [KEPT]: '' }, undefined],
  ['nobody has heard of', {}, undefined],
])('a list of certificates that %s', (_name, env, given) => {
  expect(childEnvironment({ ...env, A: '1' })).toMatchObject({ A: '1' });
  expect(childEnvironment(env)[NAME]).toBe(given);
});
