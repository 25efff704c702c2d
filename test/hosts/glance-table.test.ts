import { expect, test } from 'vitest';
import { HOST_NAMES } from '../../src/domain/host-name';
import { senderOf } from '../../src/hosts/glance-table';

test.each([undefined, ...HOST_NAMES])(
  'a document of Claude Code is taken for one, although asked for %s',
  (asked) => {
    expect(senderOf({ hook_event_name: 'Stop', prompt_id: 'p1' }, asked).name).toBe('claude-code');
  },
);

test.each([undefined, 'claude-code', 'opencode'] as const)(
  'a document without a mark, asked for %s, is too',
  (asked) => {
    expect(senderOf({}, asked).name).toBe('claude-code');
  },
);
