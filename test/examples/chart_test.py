#!/usr/bin/env python3
"""Whether the Helm chart is good: helm's own lint, the manifests of examples/kubernetes from its defaults, and valid ones from other values.

Usage:  chart_test.py FOLDER_FOR_PACKAGES

helm is looked for on the PATH and in Go's folder of programs: go install helm.sh/helm/v3/cmd/helm@v3.22.0
The last line is `N passed, N failed`; exit code 77: helm, or the validator of the Python registry, is not there.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'test/clients'))
import clients  # pylint: disable=wrong-import-position

CHART = ROOT / 'examples/helm/jobstrand'
MANIFESTS = ROOT / 'examples/kubernetes/jobstrand.yaml'
AS_JSON = 'import json, sys, yaml; print(json.dumps([d for d in yaml.safe_load_all(sys.stdin) if d]))'


class Chart(unittest.TestCase):
    helm = ''
    tools = Path()

    def done(self, *command, told=''):
        answer = subprocess.run([str(word) for word in command], input=told, capture_output=True, text=True, timeout=clients.PATIENCE_S, check=False)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        return answer.stdout

    def documents(self, text):
        return json.loads(self.done(self.tools / 'bin/python3', '-c', AS_JSON, told=text))

    def manifests(self, release, *values):
        return self.done(self.helm, 'template', release, CHART, *(word for value in values for word in ('--set', value)))

    def expect_valid(self, text):
        with tempfile.NamedTemporaryFile('w', suffix='.yaml', encoding='utf-8') as file:
            file.write(text)
            file.flush()
            said = self.done(self.tools / 'bin/kubernetes-validate', '--strict', file.name)
        self.assertEqual(said.count(' passed '), 4, said)

    def test_helm_finds_nothing_wrong(self):
        self.assertIn('0 chart(s) failed', self.done(self.helm, 'lint', '--strict', CHART))

    def test_its_defaults_are_the_manifests_of_the_example(self):
        made = self.documents(self.manifests('jobstrand'))
        for document in made:
            if document['kind'] == 'Deployment':
                pod = document['spec']['template']
                self.assertEqual(list(pod['metadata'].pop('annotations')), ['jobstrand/settings'])
                self.assertEqual(pod['spec']['containers'][0].pop('imagePullPolicy'), 'IfNotPresent')
        by_kind = {document['kind']: document for document in made}
        self.assertEqual(by_kind, {document['kind']: document for document in self.documents(MANIFESTS.read_text(encoding='utf-8'))})
        self.assertEqual(len(made), 4)
        self.expect_valid(self.manifests('jobstrand'))

    def test_other_values_give_valid_manifests_of_their_own(self):
        text = self.manifests('night', 'replicas=2', 'image.tag=9', 'podAnnotations.team=night', 'nodeSelector.disk=fast',
                              'tolerations[0].key=batch', 'tolerations[0].operator=Exists', 'secret=other')
        self.expect_valid(text)
        deployment = next(document for document in self.documents(text) if document['kind'] == 'Deployment')
        pod = deployment['spec']['template']
        self.assertEqual(deployment['metadata']['name'], 'night')
        self.assertEqual(deployment['spec']['replicas'], 2)
        self.assertEqual(pod['spec']['containers'][0]['image'], 'jobstrand:9')
        self.assertEqual(pod['metadata']['annotations']['team'], 'night')
        self.assertEqual(pod['spec']['nodeSelector'], {'disk': 'fast'})
        self.assertIn({'name': 'secrets', 'secret': {'secretName': 'other', 'defaultMode': 0o440}}, pod['spec']['volumes'])

    def test_other_settings_restart_the_nodes(self):
        def mark(*values):
            made = self.documents(self.manifests('jobstrand', *values))
            deployment = next(document for document in made if document['kind'] == 'Deployment')
            return deployment['spec']['template']['metadata']['annotations']['jobstrand/settings']
        self.assertNotEqual(mark(), mark('settings=db = "sqlite:/tmp/jobs.db"'))
        self.assertEqual(mark(), mark('replicas=5'))


def main():
    Chart.tools = Path(sys.argv[1]).resolve() / 'examples-tools'
    Chart.helm = shutil.which('helm', path=os.pathsep.join([os.environ['PATH'], os.path.expanduser('~/go/bin')])) or ''
    if not Chart.helm:
        print('skipped: not installed: helm')
        return clients.SKIPPED
    listed = Path(__file__).resolve().parent / 'requirements.txt'
    try:
        clients.install(Chart.tools, listed, ['sh', '-c', f'"{sys.executable}" -m venv . && bin/pip install --quiet -r "{listed}"'])
    except clients.CannotInstall as error:
        print(f'skipped: {error}')
        return clients.SKIPPED
    return clients.run_cases([Chart])


if __name__ == '__main__':
    sys.exit(main())
