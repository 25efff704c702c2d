import { host } from '../../../src/hosts/opencode/index';
import { goldenTests } from '../golden';
import { anyDocument } from '../properties';

goldenTests(host, 'opencode');
anyDocument(host, 'opencode');
