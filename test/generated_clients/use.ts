// What an app in TypeScript does with a client that openapi-generator has made.
import { Configuration, DeadApi, JobApi, SeriesApi } from "./client";

function expect<T>(what: string, seen: T, wanted: T): void {
    if (seen !== wanted) {
        throw new Error(`${what}: ${seen} instead of ${wanted}`);
    }
}

async function main(): Promise<void> {
    const configuration = new Configuration({ basePath: process.argv[2] });
    const jobs = new JobApi(configuration);
    const dead = new DeadApi(configuration);
    const series = new SeriesApi(configuration);

    await jobs.jobAdd({ newJob: { handlerType: "mail", payload: { order: 17 }, tenantId: "acme", priority: 7 } });
    await jobs.jobAdd({ newJob: { handlerType: "mail", tenantId: "other" } });
    await jobs.jobAdd({ newJob: { handlerType: "noop", repeat: "R/PT1H", series: "hourly" } });

    const page = await jobs.jobLs({ type: ["mail", "sms"], tenant: ["acme"], limit: 10, free: true });
    expect("jobs of the tenant", page.items.length, 1);
    expect("their priority", page.items[0].priority, 7);

    for (let i = 0; i < 3; ++i) {
        await jobs.jobAdd({ newJob: { handlerType: "http", payload: { target: 17 } } });
    }
    let groups = await dead.deadGroups({ type: ["http"] });
    for (let tries = 0; tries < 600 && groups[0]?.jobs !== 3; ++tries) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        groups = await dead.deadGroups({ type: ["http"] });
    }
    const requeued = await dead.deadRequeue({ deadRequeueRequest: { group: groups[0].group, yes: true } });
    expect("requeued", requeued.requeued, 3);

    expect("series", (await series.seriesLs()).length, 1);
    await series.seriesPause({ seriesPauseRequest: { keys: ["hourly"] } });
    expect("state", (await series.seriesLs())[0].state, "paused");
    console.log("all as expected");
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
