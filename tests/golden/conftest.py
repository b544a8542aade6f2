# SPDX-License-Identifier: Apache-2.0
def pytest_addoption(parser):
    parser.addoption("--record", action="store_true",
                     help="write down what the program prints now, instead of comparing: read the diff like code")
