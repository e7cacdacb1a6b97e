"""Maps the import packages to the top-level folders. Everything else stands in ``pyproject.toml``.

A wheel holds one import package, ``etalis_py``; the folders beside it are packages inside it, never packages
of their bare names. Nested packages are found here, so that a new one cannot be left out.
"""

from setuptools import find_packages, setup

FOLDERS = {
    "etalis_py": "etalis_py",
    "etalis_py.compiler": "compiler",
    "etalis_py.ontologies": "ontologies",
    "etalis_py.rules": "rules",
    "etalis_py.spark_udfs": "spark_udfs",
}

setup(
    package_dir=FOLDERS,
    packages=[
        package
        for name, folder in FOLDERS.items()
        for package in [name, *(f"{name}.{nested}" for nested in find_packages(folder))]
    ],
)
