import { host } from '../../../src/hosts/cursor/index';
import { goldenTests } from '../golden';
import { anyDocument } from '../properties';

goldenTests(host, 'cursor');
anyDocument(host, 'cursor');
