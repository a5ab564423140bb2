#!/usr/bin/env python3
"""Whether other people's generators make clients of our OpenAPI description that compile and work.

Usage:  generate_and_use.py JOBSTRAND_BINARY [go] [java] [typescript]

For each language a client is generated, compiled with the program that stands here for it, and run
against a service: it enqueues, lists with filters, requeues dead letters by their cause, and looks
at and pauses a series. Needs Go 1.22, a JDK 17 with Maven, Node.js with npm, and their registries;
it takes some minutes, so it is not part of tools/check. The last line is `N passed, N failed`.
"""
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "test/clients"))
import clients  # pylint: disable=wrong-import-position

PATIENCE_S = 900  # The first time all packages are downloaded.
OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.4.1"
OPENAPI_GENERATOR = "7.10.0"
PACKAGES = ["typescript@5.6.3", "@types/node@20.17.6"]


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def openapi_generator(folder, document, generator, *options):
    artifact = f"org.openapitools:openapi-generator-cli:{OPENAPI_GENERATOR}"
    run(folder, "mvn", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}")
    jar = folder / f"openapi-generator-cli-{OPENAPI_GENERATOR}.jar"
    run(folder, "java", "-jar", jar, "generate", "-i", document, "-g", generator, "-o", "client", *options)


def use_go(folder, described, origin):
    (folder / "client").mkdir()
    run(folder, "go", "mod", "init", "example.org/use")
    run(folder, "go", "run", OAPI_CODEGEN, "-generate", "types,client", "-package", "client", "-o", "client/client.go", described["3.0"])
    shutil.copy(HERE / "use.go", folder / "main.go")
    run(folder, "go", "mod", "tidy")
    return run(folder, "go", "run", ".", origin)


def use_java(folder, described, origin):
    # A function of its own for each parameter, instead of thirty parameters in a row.
    openapi_generator(folder, described["3.1"], "java", "--library", "okhttp-gson", "--additional-properties=useSingleRequestParameter=true")
    shutil.copy(HERE / "Use.java", folder / "client/src/main/java/Use.java")
    run(folder / "client", "mvn", "-q", "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath")
    classes = "target/classes:" + (folder / "client/classpath").read_text(encoding="utf-8")
    return run(folder / "client", "java", "-cp", classes, "Use", origin)


def use_typescript(folder, described, origin):
    openapi_generator(folder, described["3.1"], "typescript-fetch")
    shutil.copy(HERE / "use.ts", folder / "use.ts")
    run(folder, "npm", "install", "--no-audit", "--no-fund", *PACKAGES)
    run(folder, "npx", "tsc", "--strict", "--target", "es2022", "--module", "commonjs", "--outDir", "built", "use.ts")
    return run(folder, "node", "built/use.js", origin)


LANGUAGES = {"go": use_go, "java": use_java, "typescript": use_typescript}


def use(language, binary):
    """One service for each, so that they see the same."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as home, clients.service(binary, home) as origin:
        folder = Path(name)
        described = {version: folder / f"openapi-{version}.json" for version in ("3.1", "3.0")}
        for version, file in described.items():
            file.write_text(clients.look(origin, f"/api/v1/openapi.json?version={version}"), encoding="utf-8")
        said = LANGUAGES[language](folder, described, origin).strip().splitlines()[-1]
        if said != "all as expected":
            raise RuntimeError(said)


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(LANGUAGES):
        sys.exit(__doc__)
    failed = 0
    wanted = sys.argv[2:] or list(LANGUAGES)
    for language in wanted:
        try:
            use(language, Path(sys.argv[1]).resolve())
            print(f"{language}: generated, compiled, used", flush=True)
        except Exception:  # pylint: disable=broad-exception-caught
            failed += 1
            print(f"{language}: {traceback.format_exc()}", flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
