module jobstrand.invalid/jobstrand

go 1.22
