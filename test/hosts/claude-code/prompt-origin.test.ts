import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { parsed } from './parsed';

describe('who wrote a prompt', () => {
  test.each<[string, JsonObject, string]>([
    ['a plain text', { prompt: 'fix it' }, 'human'],
    ['a command', { prompt: '/demo x' }, 'human'],
    ['pasted markup', { prompt: '<div>why is this blue?</div>' }, 'human'],
    ['a longer tag that begins alike', { prompt: '<channels> is my element' }, 'human'],
    ['a question about notifications', { prompt: 'what is <task-notification>?' }, 'human'],
    ['a task notification', { prompt: '<task-notification>\n<task-id>1' }, 'machine'],
    ['a notification after blank lines', { prompt: '\n  <task-notification>' }, 'machine'],
    ['a teammate', { prompt: '<teammate-message teammate_id="lead">approve' }, 'machine'],
    ['a reminder', { prompt: '<system-reminder>x' }, 'machine'],
    ['the output of a local command', { prompt: '<local-command-stdout>ok' }, 'machine'],
    ['the feedback of a refused stop', { prompt: 'Stop hook feedback:\nx' }, 'continuation'],
    ['source user', { prompt: '<task-notification>', source: 'user' }, 'human'],
    ['source sdk', { prompt: 'fix it', source: 'sdk' }, 'machine'],
    ['source loop_wakeup', { prompt: 'fix it', source: 'loop_wakeup' }, 'machine'],
    ['an unreadable source', { prompt: 'fix it', source: 3 }, 'human'],
    ['no prompt', {}, 'unknown'],
  ])('%s', (_, raw, origin) => {
    expect(parsed('prompt.submit', { hook_event_name: 'UserPromptSubmit', ...raw }).origin).toBe(origin);
  });
});
