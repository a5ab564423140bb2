module jobstrand.invalid/bench

go 1.22

require jobstrand.invalid/jobstrand v0.0.0

replace jobstrand.invalid/jobstrand => ../../../tools/clients/go
