"""What the packages are made of, as a CycloneDX document."""
import json


def document(version, packages, compiled_in) -> str:
    """`packages`: the libraries beside the program. `compiled_in`: Package of headers whose code is within it."""
    def component(package, scope):
        return {
            'type': 'library',
            'bom-ref': f'{package.name}@{package.version}',
            'name': package.name,
            'version': package.version,
            'scope': 'required',
            'purl': f'pkg:deb/debian/{package.name}@{package.version}?arch=amd64&distro=bookworm',
            'properties': [{'name': 'linked', 'value': scope}, {'name': 'source package', 'value': package.source}],
        }
    components = [component(package, 'beside the program') for package in packages]
    components += [component(package, 'compiled in') for package in compiled_in]
    whole = f'jobstrand@{version}'
    return json.dumps({
        'bomFormat': 'CycloneDX',
        'specVersion': '1.5',
        'version': 1,
        'metadata': {'component': {
            'type': 'application', 'bom-ref': whole, 'name': 'jobstrand', 'version': version,
            'licenses': [{'license': {'id': 'Apache-2.0'}}],
        }},
        'components': components,
        'dependencies': [{'ref': whole, 'dependsOn': [one['bom-ref'] for one in components]}],
    }, indent=2) + '\n'
