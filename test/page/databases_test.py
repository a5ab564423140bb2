#!/usr/bin/env python3
"""What rows.md tells of, on a database that is named: all of it, or what is @chosen.

Usage: databases_test.py JOBSTRAND sqlite|postgresql|mysql [chosen] [TEST...]
"""
import sys

import frame_test
import home_numbers_test
import jobs_views_test
import many_jobs_test
import operator_views_test
import walk_test
from browser import Tested, run_all
from view_cases import CONFIG

VIEWS = Tested((jobs_views_test.JobsViews, home_numbers_test.HomeNumbers, operator_views_test.OperatorViews), CONFIG)

if __name__ == '__main__':
    sys.exit(run_all([VIEWS, *walk_test.SERVICES, *many_jobs_test.SERVICES, *frame_test.SERVICES], sys.argv))
