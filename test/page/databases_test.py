#!/usr/bin/env python3
"""The views on another database: one service and one browser for the tests of them that are @chosen, or for all.

Usage: databases_test.py JOBSTRAND postgresql|mysql|sqlite [chosen] [TEST...]
"""
import sys

import home_numbers_test
import jobs_views_test
import operator_views_test
from browser import run_all
from view_cases import CONFIG

CASES = (jobs_views_test.JobsViews, home_numbers_test.HomeNumbers, operator_views_test.OperatorViews)

if __name__ == '__main__':
    sys.exit(run_all(CASES, sys.argv, CONFIG))
